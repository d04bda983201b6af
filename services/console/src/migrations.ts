import type { MigrationSource } from '@holdfast/postgres'

/** Schema `holdfast_console`. */
export const consoleMigrations: MigrationSource = {
  name: 'holdfast_console',
  directory: new URL('../migrations/', import.meta.url),
  witness: 'holdfast_console.operators',
}
