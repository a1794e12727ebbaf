export { serviceTime } from "@tryon/command-line/service-time";
