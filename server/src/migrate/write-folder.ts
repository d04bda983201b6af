import { mkdirSync, writeFileSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { copyOut, quoteIdentifier, quoteLiteral, quoteName } from '@holdfast/postgres'
import { closingOf, nameOf, readDefinitions, readPlatformDefinitions, type Dumped } from './definitions.ts'
import type { DumpEntry } from './entries.ts'
import type { HoldfastParts } from './holdfast-parts.ts'
import { queuesToMake, renderQueue } from './queues.ts'
import { SILENCE_MS, type Inventory, type SourceTable } from './source.ts'
import type { LeftOut } from './report.ts'
import { EMPTY_CHECK, FILES_AFTER, LOAD, REVOKE_DEFAULTS } from './script-parts.ts'

export interface FolderOptions extends Dumped {
  readonly folder: string
  readonly own: HoldfastParts
  readonly progress: (line: string) => void
}

export interface WrittenFolder {
  readonly tables: number
  readonly rows: number
  readonly policies: number
  readonly functions: number
  readonly leftOut: readonly LeftOut[]
}

/** Mode of files with passwords and keys. */
const PRIVATE = 0o600

/** Writes `psql` scripts that recreate the project; `load.sql` runs all others. Does not include stored files. */
export async function writeFolder(options: FolderOptions): Promise<WrittenFolder> {
  return await new FolderWriter(options).write()
}

class FolderWriter {
  readonly #options: FolderOptions
  readonly #inventory: Inventory
  readonly #leftOut: LeftOut[] = []
  #policies = 0
  #functions = 0

  constructor(options: FolderOptions) {
    this.#options = options
    this.#inventory = options.source.inventory
  }

  async write(): Promise<WrittenFolder> {
    const { progress, own } = this.#options
    const { schemas, tables } = this.#inventory
    mkdirSync(join(this.#options.folder, 'data'), { recursive: true, mode: 0o700 })
    progress('reading the definitions')
    const args = schemas.map((schema) => `--schema=${quoteIdentifier(schema)}`)
    const dump = async (section: string): Promise<string> =>
      schemas.length === 0 ? '' : this.#render(await readDefinitions(this.#options, [`--section=${section}`, ...args]))
    this.#file('roles.sql', this.#roles())
    this.#file('schema.sql', `${this.#ground()}${await dump('pre-data')}`)
    const files: string[] = []
    let rows = 0
    for (const [index, table] of tables.entries()) {
      const file = `data/${String(index + 1).padStart(4, '0')}-${`${table.schema}.${table.name}`.replaceAll(/[^\w.-]/g, '_').slice(0, 80)}.sql`
      const copied = await this.#copy(table, file)
      if (copied > 0) files.push(file)
      rows += copied
    }
    this.#file('data.sql', `${files.map((file) => `\\ir ${file}\n`).join('')}${this.#sequences()}`)
    this.#file('constraints-and-policies.sql', await dump('post-data'))
    this.#file(
      'accounts-and-files.sql',
      `${this.#render(await readPlatformDefinitions(this.#options))}${this.#finish()}`,
    )
    this.#file('load.sql', LOAD)
    this.#file('check-empty.sql', EMPTY_CHECK)
    await this.#restoreFiles()
    for (const { name } of own.tables) await this.#keepOwn(name)
    return { tables: files.length, rows, policies: this.#policies, functions: this.#functions, leftOut: this.#leftOut }
  }

  #file(name: string, text: string): void {
    writeFileSync(join(this.#options.folder, name), text, { mode: PRIVATE })
  }

  /** Omits definitions certain to be refused; others are followed by statements that secure their table. */
  #render(entries: readonly DumpEntry[]): string {
    return entries
      .map((entry) => {
        const what = nameOf(entry)
        const closing = closingOf(entry)
        if (this.#options.own.refused.has(what)) {
          if (closing !== undefined)
            this.#leftOut.push({
              what: `Access that ${what} narrows`,
              why: 'the table is closed to anon and authenticated',
            })
          return `-- Left out, since it uses parts of Holdfast: ${what.replaceAll(/\s+/g, ' ')}\n${closing ?? ''}\n\n`
        }
        if (entry.type === 'POLICY') this.#policies++
        if (entry.type === 'FUNCTION' || entry.type === 'PROCEDURE') this.#functions++
        const guard = closing === undefined ? '' : `\\if :ERROR\n${closing}\n\\endif\n`
        return `${entry.text}\n${guard}${entry.owner === undefined ? '' : `${entry.owner}\n`}\n`
      })
      .join('')
  }

  #roles(): string {
    const { roles, memberships } = this.#inventory
    for (const role of roles)
      this.#leftOut.push({
        what: `Login of role ${role}`,
        why: 'passwords of roles cannot be read; it is made without a login',
      })
    return [
      '-- Roles that are the project’s own. Their passwords cannot be read: give logins by hand (alter role … login password …).',
      ...roles.map((role) => `create role ${quoteIdentifier(role)} nologin;`),
      ...memberships
        .filter(({ role, member }) => roles.includes(role) || roles.includes(member))
        .map(({ role, member }) => `grant ${quoteIdentifier(role)} to ${quoteIdentifier(member)};`),
      '',
    ].join('\n')
  }

  #ground(): string {
    const { schemas, queues } = this.#inventory
    return [
      ...schemas.map((schema) => `create schema if not exists ${quoteIdentifier(schema)};`),
      ...extensionsOf(this.#inventory, this.#options.own).map(
        ({ name, schema }) =>
          `create extension if not exists ${quoteIdentifier(name)} with schema ${quoteIdentifier(schema)};`,
      ),
      ...queuesToMake(queues, true).map(renderQueue),
      REVOKE_DEFAULTS,
      ...(schemas.includes('public') ? ['revoke all on schema public from anon, authenticated, service_role;'] : []),
      '\n',
    ].join('\n')
  }

  async #copy({ schema, name, columns, rows: estimate }: SourceTable, file: string): Promise<number> {
    const list = columns.map(quoteIdentifier).join(', ')
    let toldAt = Date.now()
    const copied = await this.#stream(`copy (select ${list} from only ${quoteName(schema, name)}) to stdout`, file, {
      head: `copy ${quoteName(schema, name)} (${list}) from stdin;\n`,
      tail: '\\.\n',
      onRows: (count) => {
        if (Date.now() - toldAt < 2_000) return
        toldAt = Date.now()
        this.#options.progress(`${schema}.${name}: ${count} of about ${Math.max(count, estimate)} rows`)
      },
    })
    return copied
  }

  /** @returns the number of rows; without rows no file is written */
  async #stream(
    text: string,
    file: string,
    { head = '', tail = '', onRows }: { head?: string; tail?: string; onRows?: (rows: number) => void } = {},
  ): Promise<number> {
    let out: FileHandle | undefined
    let copied = 0
    try {
      await copyOut({
        client: await this.#options.source.connect(),
        text,
        silenceMs: SILENCE_MS,
        onRows: async (bytes, rows) => {
          if (!out) {
            out = await open(join(this.#options.folder, file), 'wx', PRIVATE)
            await out.appendFile(head)
          }
          await out.appendFile(bytes)
          copied += rows
          onRows?.(copied)
        },
      })
      await out?.appendFile(tail)
    } finally {
      await out?.close()
    }
    return copied
  }

  #sequences(): string {
    return this.#inventory.sequences
      .map(
        ({ schema, name, value }) =>
          `select pg_catalog.setval(${quoteLiteral(quoteName(schema, name))}::regclass, ${quoteLiteral(value)}::bigint, true);\n`,
      )
      .join('')
  }

  #finish(): string {
    const { views, published, queues, jobs, secrets } = this.#inventory
    return [
      ...views.map(({ schema, name }) => `refresh materialized view ${quoteName(schema, name)};`),
      ...published.map(
        ({ schema, name }) => `alter publication supabase_realtime add table ${quoteName(schema, name)};`,
      ),
      ...queuesToMake(queues, false).map(renderQueue),
      ...jobs.map(
        ({ jobname, schedule, command, active }) =>
          `select cron.alter_job(cron.schedule(${jobname === null ? '' : `${quoteLiteral(jobname)}, `}${quoteLiteral(schedule)}, ${quoteLiteral(command)}), active := ${active});`,
      ),
      ...secrets.map(
        ({ name, description, secret }) =>
          `select vault.create_secret(${quoteLiteral(secret)}, ${name === null ? 'null' : quoteLiteral(name)}, ${quoteLiteral(description ?? '')}) is not null as kept;`,
      ),
      '',
    ].join('\n')
  }

  /** Restores owner and times of files, because an upload recreates the row. */
  async #restoreFiles(): Promise<void> {
    const objects = this.#inventory.tables.find(({ schema, name }) => schema === 'storage' && name === 'objects')
    if (!objects) return
    const kept = KEPT_OF_FILES.filter((column) => objects.columns.includes(column))
    const list = kept.map(quoteIdentifier).join(', ')
    const has = await this.#stream(
      `copy (select id, ${list} from storage.objects) to stdout`,
      'data/files-as-they-were.sql',
      {
        head: `copy files_as_they_were (id, ${list}) from stdin;\n`,
        tail: '\\.\n',
      },
    )
    if (has === 0) return
    this.#file('after-files.sql', FILES_AFTER(kept.map(quoteIdentifier)))
  }

  async #keepOwn(table: string): Promise<void> {
    mkdirSync(join(this.#options.folder, 'holdfast'), { recursive: true, mode: 0o700 })
    const text = `copy (select * from holdfast.${quoteIdentifier(table)}) to stdout with (format csv, header)`
    await this.#stream(text, `holdfast/${table}.csv`)
  }
}

/** Columns of `storage.objects` that an upload with a server key does not restore. */
export const KEPT_OF_FILES: readonly string[] = [
  'owner',
  'owner_id',
  'created_at',
  'updated_at',
  'last_accessed_at',
  'user_metadata',
]

/** Returns all extensions, each once, with `pg_cron` in the schema where other servers have it. */
export function extensionsOf({ extensions }: Inventory, own: HoldfastParts): Inventory['extensions'] {
  const all = [...extensions, ...own.extensions].map(({ name, schema }) => ({
    name,
    schema: name === 'pg_cron' ? 'pg_catalog' : schema,
  }))
  return all.filter(({ name }, index) => all.findIndex((one) => one.name === name) === index)
}
