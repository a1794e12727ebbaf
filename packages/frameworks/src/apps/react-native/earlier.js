// Earlier versions of React Native have the controller of this package, whose signals have no reason.
import { AbortController } from "abort-controller/dist/abort-controller";

if (globalThis.isEarlier) globalThis.AbortController = AbortController;
