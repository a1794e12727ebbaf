import router from "@adonisjs/core/services/router";
import server from "@adonisjs/core/services/server";

// Middleware of the server comes before that of the router, which reads bodies.
server.use([() => import("../middleware/tryon.js")]);
router.use([() => import("@adonisjs/core/bodyparser_middleware")]);
