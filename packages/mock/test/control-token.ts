/** Token of the control API of the servers that tests start. */
export const controlToken = "control-token-of-the-tests";
