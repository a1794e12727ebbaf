export default { serverDir: "./" };
