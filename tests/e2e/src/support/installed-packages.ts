import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { guideManifest, ROOT } from './guide-app.ts'

export interface InstalledPackages extends AsyncDisposable {
  /** Outside of the repository, with a space in its name. */
  readonly folder: string
  /** The installed `holdfast`, as npm links it. */
  readonly program: string
  /** Runs `npx holdfast` in the folder. @returns what it wrote to stdout */
  npx(...args: readonly string[]): Promise<string>
}

/**
 * Packs what is published and installs the tarballs with npm in an empty folder, as a stranger would, with the packages that the page tells its reader to install.
 * The tools that the page builds with are linked from the repository: they are 250 packages, and none of ours.
 */
export async function installPackages(page: string): Promise<InstalledPackages> {
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/pack.ts'], { cwd: ROOT })
  const tarballs = stdout.trim().split('\n')
  const folder = mkdtempSync(join(tmpdir(), 'holdfast packages '))
  chmodSync(folder, 0o755) // for the user that Postgres runs as when we are root
  const { dependencies, devDependencies } = guideManifest(page)
  const ofOthers = Object.entries({ ...dependencies, ...devDependencies }).filter(
    ([name]) => name !== 'holdfast' && !name.startsWith('@holdfast/') && !(name in toolsOf(devDependencies)),
  )
  try {
    const manifest = { name: 'notes', private: true, type: 'module', dependencies: Object.fromEntries(ofOthers) }
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
    await npm(folder, 'install', ...tarballs.map((file) => join(ROOT, file)))
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
    npx: (...args) => npm(folder, 'exec', '--no', '--', 'holdfast', ...args),
    async [Symbol.asyncDispose]() {
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function toolsOf(devDependencies: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(devDependencies).filter(([name]) => name !== 'holdfast'))
}

async function npm(cwd: string, ...args: readonly string[]): Promise<string> {
  // What npm tells its scripts about this repository is not for the folder.
  const own = Object.entries(process.env).filter(
    ([name]) => !/^npm_(?:package|lifecycle|config_local_prefix)/i.test(name),
  )
  const [command = '', ...rest] = args
  const { stdout } = await promisify(execFile)(
    'npm',
    [command, '--prefer-offline', '--no-audit', '--no-fund', ...rest],
    { cwd, env: Object.fromEntries(own), maxBuffer: 16 * 1024 * 1024 },
  )
  return stdout
}
