// Loaded before anything else, lets the program make a mistake on SIGUSR2 that nothing catches.

process.on("SIGUSR2", () => {
  throw new Error("a mistake");
});
