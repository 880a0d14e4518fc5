// package.json maps `#argon2` and `#bcrypt` here outside of Bun: bundlers warn of a name that maps to nothing.
throw new Error('Only Bun embeds the native packages.');
