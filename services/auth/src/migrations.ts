/** The folder of this package's migrations, next to both `src` and `dist`. */
export const authMigrations: URL = new URL('../migrations/', import.meta.url)
