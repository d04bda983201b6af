import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { join, resolve } from 'node:path'
import { HoldfastError, errorMessage, silentLogger } from '@holdfast/foundation'
import { functionsOptions } from '@holdfast/functions'
import { openBackend, storageOptions } from '@holdfast/storage'
import { STORED_FILES } from '../backup/stored-files.ts'
import { exportDeclarations, type ExportConfig } from '../config/options.ts'
import { copyProject, findProject, writeReadme } from '../migrate/copy-project.ts'
import { countSource, gapsOf, type SourceCounts } from '../migrate/gaps.ts'
import { inspectTarget, putFilesBack, type TargetState } from '../migrate/inspect-target.ts'
import { loadDatabase } from '../migrate/load.ts'
import { findHoldfastParts, type HoldfastParts } from '../migrate/holdfast-parts.ts'
import { renderExportReport, type ExportReport, type LeftOut } from '../migrate/report.ts'
import { folderTarget, sendFiles, storageTarget, type FileTarget, type SentFiles } from '../migrate/send-files.ts'
import { openSource, type Source } from '../migrate/source.ts'
import { extensionsOf, writeFolder } from '../migrate/write-folder.ts'
import { optionsOf } from '../parts/service-options.ts'
import { readSettings, type CommandInput } from './command.ts'
import { withProjectDatabase } from './with-database.ts'

const APPLICATION = 'holdfast export'

/** State of an export. */
interface Export {
  readonly config: ExportConfig
  readonly source: Source
  readonly sourceUrl: string
  readonly own: HoldfastParts
  readonly progress: (line: string) => void
}

type Counts = Pick<ExportReport, 'tables' | 'rows' | 'policies' | 'functions'>
const NO_COUNTS: Counts = { tables: 0, rows: 0, policies: 0, functions: 0 }
const NO_FILES = { copied: 0, present: 0, failed: 0 }

/**
 * `holdfast export --to=postgres://…` or `--to=FOLDER`: exports the project, also while the server is running. Only reads the project.
 *
 * @returns the exit code: 1 if something was not exported
 * @throws {HoldfastError} `option_invalid`, `export_target_taken`, `export_target_unreachable`, `export_failed` and errors of opening the database
 */
export async function exportProject(input: CommandInput): Promise<number> {
  const config = readSettings(exportDeclarations, input)
  // Command lines are visible to all users in the process list.
  process.title = APPLICATION
  const { to } = config
  requireSense(config)
  const report = await withProjectDatabase({ ...config, dataDir: resolve(config.dataDir) }, async (sourceUrl) => {
    await using source = await openSource(sourceUrl)
    const own = await findHoldfastParts(source)
    const progress = (line: string): void => input.err(`  ${line} …\n`)
    const work: Export = { config, source, sourceUrl, own, progress }
    return await (isAddress(to ?? '') ? toProject(work, to ?? '') : toFolder(work, resolve(to ?? '')))
  })
  input.out(config.json ? `${JSON.stringify(report)}\n` : renderExportReport(report))
  return report.leftOut.length > 0 && !report.dryRun ? 1 : 0
}

const isAddress = (to: string): boolean => /^postgres(?:ql)?:\/\//.test(to)

function requireSense({ to, storageUrl, serviceKey, onlyFiles }: ExportConfig): void {
  if (to === undefined)
    throw invalid(
      'Where to? --to is missing.',
      'holdfast export --to=postgres://postgres:password@host:5432/postgres, or --to=FOLDER.',
    )
  if (isAddress(to) && !URL.canParse(to))
    throw invalid('--to is no connection string.', 'Special characters of the password are percent-encoded.')
  if (!isAddress(to) && /^[a-z]+:\/\//i.test(to))
    throw invalid('--to is neither a connection string nor a folder.', 'It begins with postgres://, or names a folder.')
  if (storageUrl !== undefined && serviceKey === undefined)
    throw invalid(
      'Files are sent with the service_role key of the project that they go to.',
      'Set HOLDFAST_SERVICE_KEY, or leave --storage-url out.',
    )
  if (onlyFiles && (!isAddress(to) || storageUrl === undefined))
    throw invalid('--only-files sends files to a project.', 'Give its address with --to and --storage-url.')
}

async function toProject(work: Export, to: string): Promise<ExportReport> {
  const { config, source, own, progress } = work
  const place = `${new URL(to).host}${new URL(to).pathname}`
  progress(`looking at ${place}`)
  const look = await inspectTarget(to, source.inventory, extensionsOf(source.inventory, own))
  const known = [...own.leftOut, ...gapsOf(source.inventory), ...outsideGaps(work)]
  if (config.dryRun)
    return {
      to: place,
      dryRun: true,
      ...countsOf(await countSource(source)),
      files: NO_FILES,
      leftOut: [...known, ...takenGap(look), ...look.leftOut],
    }
  if (look.isTaken && !config.intoExisting && !config.onlyFiles) throw targetTaken(place)
  const loaded = config.onlyFiles ? undefined : await load(work, to)
  const files = await filesTo(work, to)
  const counts = loaded ?? NO_COUNTS
  return {
    to: place,
    dryRun: false,
    ...countsOf(counts),
    files: filesOf(files),
    leftOut: [...(loaded ? [...known, ...loaded.leftOut] : []), ...files.leftOut],
  }
}

async function load({ source, sourceUrl, own, progress }: Export, to: string): ReturnType<typeof loadDatabase> {
  try {
    return await loadDatabase({
      source,
      sourceUrl,
      targetUrl: to,
      applicationName: APPLICATION,
      refused: own.refused,
      extensions: extensionsOf(source.inventory, own),
      keepsVersions: true,
      progress,
    })
  } catch (error) {
    throw new HoldfastError('export_failed', 500, 'The project was not exported. Nothing of it is in the target.', {
      detail: errorMessage(error),
      hint: 'All of it is one transaction: mend what it says, and run the command again.',
      cause: error,
    })
  }
}

async function filesTo(work: Export, to: string): Promise<SentFiles> {
  const { storageUrl, serviceKey } = work.config
  if (storageUrl !== undefined && serviceKey !== undefined) {
    const settle = (ids: readonly string[]): Promise<void> => putFilesBack({ to, source: work.source, ids })
    return await send(work, storageTarget({ storageUrl, serviceKey, settle }))
  }
  const client = await work.source.connect()
  try {
    const { rows } = await client.query<{ files: number }>('select count(*)::float8 as files from storage.objects')
    const files = rows[0]?.files ?? 0
    const why = 'run the same command again with --only-files, --storage-url and HOLDFAST_SERVICE_KEY'
    return { ...NO_FILES, leftOut: files === 0 ? [] : [{ what: `Bytes of ${files} files`, why }] }
  } finally {
    await client.end().catch(() => undefined) // possibly broken already
  }
}

async function send({ config, source, progress }: Export, target: FileTarget): Promise<SentFiles> {
  progress('copying files')
  await using backend = await openBackend(
    optionsOf(config, storageOptions),
    join(resolve(config.dataDir), STORED_FILES),
    silentLogger,
  )
  return await sendFiles({ source, backend, target, progress })
}

/** The folder is renamed when complete. */
async function toFolder(work: Export, folder: string): Promise<ExportReport> {
  const { config, source, sourceUrl, own, progress } = work
  if (existsSync(folder)) throw targetTaken(folder)
  const known = [...own.leftOut, ...gapsOf(source.inventory)]
  if (config.dryRun)
    return { to: folder, dryRun: true, ...countsOf(await countSource(source)), files: NO_FILES, leftOut: known }
  const unfinished = `${folder}.${randomUUID().slice(0, 8)}.unfinished`
  try {
    const written = await writeFolder({
      source,
      sourceUrl,
      applicationName: APPLICATION,
      folder: unfinished,
      own,
      progress,
    })
    const files = await send(work, folderTarget(unfinished))
    const project = copyProject(optionsOf(config, functionsOptions), unfinished)
    const { leftOut, ...counts } = written
    const report: ExportReport = {
      to: folder,
      dryRun: false,
      ...counts,
      files: filesOf(files),
      leftOut: [...known, ...leftOut, ...files.leftOut],
    }
    writeReadme(unfinished, report, project)
    await rename(unfinished, folder)
    return report
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    if (error instanceof HoldfastError) throw error
    throw new HoldfastError('export_failed', 500, 'The project was not exported.', {
      detail: errorMessage(error),
      hint: 'Nothing is left of it. Mend what it says, and run the command again.',
      cause: error,
    })
  }
}

const countsOf = ({ tables, rows, policies, functions }: Counts | SourceCounts): Counts => ({
  tables,
  rows,
  policies,
  functions,
})

const filesOf = ({ copied, present, failed }: SentFiles): ExportReport['files'] => ({ copied, present, failed })

const takenGap = ({ isTaken }: TargetState): readonly LeftOut[] =>
  isTaken
    ? [{ what: 'All of it', why: 'the target has a project already, and is refused without --into-existing' }]
    : []

/** Lists what a connection string cannot receive. */
function outsideGaps({ config }: Export): readonly LeftOut[] {
  const { functions, secrets } = findProject(optionsOf(config, functionsOptions))
  return [
    ...(functions.length > 0
      ? [{ what: `Functions ${functions.join(', ')}`, why: 'deploy them: supabase functions deploy' }]
      : []),
    ...(secrets.length > 0
      ? [{ what: `${secrets.length} secrets of functions`, why: 'set them: supabase secrets set --env-file' }]
      : []),
  ]
}

function invalid(message: string, hint: string): HoldfastError {
  return new HoldfastError('option_invalid', 500, message, { hint })
}

function targetTaken(place: string): HoldfastError {
  return new HoldfastError('export_target_taken', 500, `${place} is in use already.`, {
    hint: 'Name an empty project, or a folder that does not exist. Into a project that has tables or users: --into-existing. Files alone: --only-files.',
  })
}
