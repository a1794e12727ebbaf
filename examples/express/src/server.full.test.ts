import { behavesAsShop } from "../../shop-tests/shop-behaviour.ts";

behavesAsShop(() => import("./server.ts"));
