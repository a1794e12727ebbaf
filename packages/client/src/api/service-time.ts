export { serviceTime } from "@tryon/shared/service-time";
