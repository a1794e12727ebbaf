// Replace these with the database and the sessions of your shop.
export const onCompleted = ({ job_id, error_message }) =>
  console.log(`handled ${job_id} ${error_message}`);
export const authorize = () => ({ id: "ada" });
// A function, since a build has no secret.
export const secrets = () => process.env.TRYON_WEBHOOK_SECRET;
