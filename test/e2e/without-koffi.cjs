// Loaded before anything else, makes koffi missing, as on a machine that it has no binary for.

const Module = require("node:module");

const load = Module._load;
Module._load = (request, ...others) => {
  if (request === "koffi") throw new Error("Cannot find module 'koffi'\nRequire stack: this one");
  return load(request, ...others);
};
