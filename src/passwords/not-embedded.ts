// package.json maps `#argon2` and `#bcrypt` to this file outside of Bun, because bundlers warn of a name that maps to nothing.
throw new Error('Only Bun embeds the native packages.');
