// Imports one package, and prints how long that took.
const [name = ""] = process.argv.slice(2);
const begin = performance.now();
await import(name);
process.stdout.write(JSON.stringify({ milliseconds: performance.now() - begin }));
