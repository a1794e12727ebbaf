// Parts of the engine and native modules of React Native, for an app without a device. `host` sends a message to the program
// that runs the app, and `deliver` receives one.
(function (global) {
  var last = 0;
  var waiting = {};

  function send(method) {
    global.host(JSON.stringify({ method: method, args: Array.prototype.slice.call(arguments, 1) }));
  }

  function ask(method, value) {
    return new Promise(function (resolve, reject) {
      last += 1;
      waiting[last] = { resolve: resolve, reject: reject };
      send(method, value, last);
    });
  }

  global.setTimeout = function (callback, delay) {
    last += 1;
    waiting[last] = { resolve: callback };
    send("startTimer", delay || 0, last);
    return last;
  };
  global.clearTimeout = function (id) {
    delete waiting[id];
  };
  global.setImmediate = function (callback) {
    return global.setTimeout(callback, 0);
  };
  global.performance = { now: Date.now };

  // Hermes has these from React Native 0.74 on, and the version of this test is older.
  var digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  global.btoa = function (text) {
    var result = "";
    for (var at = 0; at < text.length; at += 3) {
      var left = text.length - at;
      var bits =
        (text.charCodeAt(at) << 16) |
        ((text.charCodeAt(at + 1) || 0) << 8) |
        (text.charCodeAt(at + 2) || 0);
      result += digits[bits >> 18] + digits[(bits >> 12) & 63];
      result += left > 1 ? digits[(bits >> 6) & 63] : "=";
      result += left > 2 ? digits[bits & 63] : "=";
    }
    return result;
  };
  global.TextEncoder = function () {};
  global.TextEncoder.prototype.encode = function (text) {
    var binary = unescape(encodeURIComponent(text));
    var bytes = new Uint8Array(binary.length);
    for (var at = 0; at < bytes.length; at += 1) bytes[at] = binary.charCodeAt(at);
    return bytes;
  };

  Object.defineProperty(Array.prototype, "at", {
    value: function (index) {
      return this[index < 0 ? this.length + index : index];
    },
  });

  var requests = 0;
  var modules = {
    BlobModule: {
      addNetworkingHandler: function () {},
      createFromParts: send.bind(undefined, "createBlob"),
      getConstants: function () {
        return { BLOB_URI_SCHEME: "blob", BLOB_URI_HOST: null };
      },
      release: send.bind(undefined, "releaseBlob"),
    },
    FileReaderModule: {
      readAsDataURL: ask.bind(undefined, "readAsDataURL"),
      readAsText: ask.bind(undefined, "readAsText"),
    },
    Networking: {
      abortRequest: send.bind(undefined, "abortRequest"),
      addListener: function () {},
      removeListeners: function () {},
      sendRequest: function (request, callback) {
        requests += 1;
        callback(requests);
        send("sendRequest", request, requests);
      },
    },
    RNGetRandomValues: {
      // The host has sent more random bytes than the app needs.
      getRandomBase64: function (length) {
        var count = Math.ceil(length / 3) * 4;
        var taken = global.random.slice(0, count);
        global.random = global.random.slice(count);
        var padding = (3 - (length % 3)) % 3;
        return taken.slice(0, count - padding) + "==".slice(0, padding);
      },
    },
  };
  global.RN$Bridgeless = true;
  global.nativeModuleProxy = {};
  global.__turboModuleProxy = function (name) {
    return modules[name] || null;
  };

  global.deliver = function (message) {
    if (message.event) {
      global.__rctDeviceEventEmitter.emit(message.event, message.args);
      return;
    }
    var call = waiting[message.id];
    delete waiting[message.id];
    if (call) call.resolve(message.result);
  };

  global.call = function (name, args) {
    new Promise(function (resolve) {
      resolve(global.scenarios[name].apply(undefined, args));
    }).then(
      function (result) {
        send("ended", { result: result });
      },
      function (error) {
        var known = Object(error);
        send("ended", { error: String(known.stack || error), code: known.code, name: known.name });
      },
    );
  };
})(globalThis);
