/** Who a request of a browser comes from: whatever names one user of the app for good, such as the id of an account. */
export type ProxyUser = string;
