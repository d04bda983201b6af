import { execFile } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT, templateManifest } from './guide-app.ts'

export interface InstalledPackages extends AsyncDisposable {
  /** Outside of the repository, with a space in its name. */
  readonly folder: string
  /** The installed `holdfast`, as npm links it. */
  readonly program: string
  /** Runs `npx holdfast` in the folder. @returns what it wrote to stdout */
  npx(...args: readonly string[]): Promise<string>
  /** Writes the page's first migration and first test, and runs it with Node. Rejects when it fails. */
  runGuideTest(page: string): Promise<void>
  /** Bytes of the installed `holdfast` and of all packages that it needs. */
  serverBytes(): Promise<number>
}

/**
 * Packs what is published, and has the packed `create-holdfast` make an app in an empty folder and npm install it, as a stranger would. The tools that the app is
 * built with are linked from the repository: they are 250 packages, and none of ours.
 */
export async function installPackages(): Promise<InstalledPackages> {
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/pack.ts'], { cwd: ROOT })
  const tarballs = stdout.trim().split('\n')
  const folder = mkdtempSync(join(tmpdir(), 'holdfast packages '))
  chmodSync(folder, 0o755) // for the user that Postgres runs as when we are root
  const { devDependencies } = templateManifest()
  const tarballOf = (name: string): string => join(ROOT, tarballs.find((file) => basename(file).startsWith(name)) ?? '')
  try {
    const packages = `--packages=${join(ROOT, '.cache/packages')}`
    const create = ['exec', '--yes', '--offline', `--package=${tarballOf('create-holdfast-')}`, '--', 'create-holdfast']
    await runTool(folder, 'npm', ...create, folder, packages)
    leaveOutTools(folder, devDependencies)
    const testing = tarballOf('holdfast-testing-')
    await runTool(folder, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', testing)
    for (const tool of Object.keys(toolsOf(devDependencies))) {
      mkdirSync(dirname(join(folder, 'node_modules', tool)), { recursive: true })
      symlinkSync(join(ROOT, 'node_modules', tool), join(folder, 'node_modules', tool), 'junction')
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  return {
    folder,
    program: join(folder, 'node_modules/.bin/holdfast'),
    npx: (...args) => runTool(folder, 'npx', '--yes=false', 'holdfast', ...args),
    runGuideTest: async (page) => {
      const text = readFileSync(join(ROOT, page), 'utf8')
      for (const [language, comment] of [
        ['sql', '--'],
        ['ts', '//'],
      ] as const) {
        const block = text.split(`\`\`\`${language}\n`)[1]?.split('\n```')[0] ?? ''
        const path = join(folder, block.split('\n')[0]?.replace(comment, '').trim() ?? '')
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, block)
      }
      await promisify(execFile)(process.execPath, ['--test'], { cwd: folder })
      // Not for the steps that come.
      for (const name of ['supabase/migrations', 'notes.test.ts']) rmSync(join(folder, name), { recursive: true })
    },
    serverBytes: async () => {
      const found = JSON.parse(await runTool(folder, 'npm', 'query', '#holdfast, #holdfast *')) as { path: string }[]
      // The tools that are linked are peers, and none of what the server needs.
      const own = found.filter(({ path }) => path.startsWith(realpathSync(folder)))
      return [...new Set(own.map(({ path }) => path))].reduce((total, path) => total + bytesIn(path), 0)
    },
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function leaveOutTools(folder: string, devDependencies: Readonly<Record<string, string>>): void {
  const file = join(folder, 'package.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as { devDependencies: Record<string, string> }
  for (const tool of Object.keys(toolsOf(devDependencies))) delete manifest.devDependencies[tool]
  writeFileSync(file, JSON.stringify(manifest))
}

function toolsOf(devDependencies: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(devDependencies).filter(([name]) => name !== 'holdfast'))
}

/** Without the packages inside it, which are counted by themselves, and without what links lead to. */
function bytesIn(path: string): number {
  return readdirSync(path, { withFileTypes: true }).reduce((total, entry) => {
    if (entry.isFile()) return total + statSync(join(path, entry.name)).size
    return entry.isDirectory() && entry.name !== 'node_modules' ? total + bytesIn(join(path, entry.name)) : total
  }, 0)
}

async function runTool(cwd: string, tool: 'npm' | 'npx', ...args: readonly string[]): Promise<string> {
  // Removes the variables with which npm describes this repository to its scripts; they do not apply to the folder.
  const own = Object.entries(process.env).filter(
    ([name]) => !/^npm_(?:package|lifecycle|config_local_prefix|config_call)/i.test(name),
  )
  const { stdout } = await promisify(execFile)(tool, args, {
    cwd,
    env: Object.fromEntries(own),
    maxBuffer: 16 * 1024 * 1024,
  })
  return stdout
}
