import { behavesAsShop } from "@tryon/example-shop-tests";

behavesAsShop(() => import("./server.ts"));
