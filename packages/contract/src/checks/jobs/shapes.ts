/** The rules of this part that the schema of an answer states, by operation and status. */
export const jobShapes: Readonly<Record<string, readonly string[]>> = {
  "POST /api/v1/tryon 200": [
    "submit.request-and-answer",
    "submit-response.job-id.form",
    "submit-response.status.values",
  ],
  "GET /api/v1/tryon/{job_id} 200": ["job.job-id.form", "job.status.values"],
  "GET /api/v1/tryon 200": ["list.request-and-answer"],
};
