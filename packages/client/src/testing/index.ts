export { createTestCall } from "./create-test-call.ts";
export { createTestError, type TestErrorFields } from "./create-test-error.ts";
export { createTestJob, type TestJobFields } from "./create-test-job.ts";
export { createTestResult, type TestResultFields } from "./create-test-result.ts";
