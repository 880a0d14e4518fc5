// Loaded into each server before its program. Answers each message with the processor time of all threads.

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
});
process.once('disconnect', () => process.exit());
