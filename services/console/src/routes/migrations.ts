import type { MigrationList, MigrationText } from '@holdfast/protocol'
import { migrationUnknown } from '../errors.ts'
import { route, type Route } from '../routing/route.ts'

export interface MigrationSources {
  list(): Promise<MigrationList>
  /** Reads a file that is not applied yet; `undefined` for any other. */
  readPending(version: string): Promise<MigrationText | undefined>
}

/** Migrations of the project and of Holdfast. */
export function migrationRoutes(migrations: MigrationSources): readonly Route[] {
  return [
    route('GET /migrations', { access: 'viewer', run: () => migrations.list() }),
    route('GET /migrations/:version', {
      access: 'developer',
      run: async ({ parameters: { version = '' } }) => {
        const found = await migrations.readPending(version)
        if (!found) throw migrationUnknown()
        return found
      },
    }),
  ]
}
