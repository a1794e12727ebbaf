import { behavesAsShop } from "@tryon/example-backend-tests";

behavesAsShop(() => import("./server.ts"));
