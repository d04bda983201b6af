import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPool, type MigrationSource, type Pool } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { migrateProject } from '../../src/project/migrate.ts'
import { listMigrationFiles } from '../../src/project/migration-files.ts'

/** A folder of migrations, and the database that a start applies them to. */
export interface OpenProject extends AsyncDisposable {
  readonly database: TestDatabase
  /** As the project. */
  readonly project: Pool
  /** Applies one more migration. @returns its version @throws what a start says of it; then it is taken out of the folder */
  migrate(content: string | Buffer): Promise<string>
  /** Runs a statement as the project. */
  rows(text: string): Promise<readonly Record<string, unknown>[]>
}

/** @param migrations - of the services that it needs */
export async function openProject(migrations: readonly MigrationSource[]): Promise<OpenProject> {
  const database = await openTestDatabase({ migrations })
  const project = createPool({ url: database.projectUrl, applicationName: 'test project', connectionsMax: 2 })
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-project-'))
  let last = 0
  return {
    database,
    project,
    async migrate(content) {
      const version = String(++last).padStart(4, '0')
      const path = join(folder, `${version}_step.sql`)
      writeFileSync(path, content)
      const { files } = listMigrationFiles(folder)
      const steps = { pool: project, files, includesOlder: false, onMissing: () => undefined, onFile: () => undefined }
      await migrateProject(steps).catch((error: unknown) => {
        rmSync(path)
        throw error
      })
      return version
    },
    rows: async (text) =>
      await project.withClient(async (client) => (await client.query(text)).rows as Record<string, unknown>[]),
    async [Symbol.asyncDispose]() {
      await project[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
