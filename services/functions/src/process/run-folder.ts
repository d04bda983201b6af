import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { findProcess } from '@holdfast/postgres'
import type { Program } from './program.ts'

/** Folder for sockets and files of all processes. Other users must not enter it, because connecting to a socket bypasses token verification. */
export interface RunFolder extends Disposable {
  /** Creates a process's folder. */
  create(name: string): string
  /** Records a running process, to end it on exit or, after a crash, at the next start. */
  note(pid: number): void
  forget(pid: number): void
}

interface Record {
  readonly folder: string
  readonly processes: readonly { readonly pid: number; readonly startedAt: string }[]
}

/** Avoids `TMPDIR` below `/dev` (such as `/dev/shm`), where Deno does not let functions write. */
function temporaryFolder(): string {
  return resolve(tmpdir()).startsWith('/dev/') ? '/tmp' : tmpdir()
}

/** The server that owns a folder. */
interface Server {
  readonly pid: number
  readonly startedAt: string
  /** PID namespace: containers may share a temporary folder. */
  readonly namespace: string
}

function namespaceOf(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return '' // Linux only
  }
}

const SERVER_FILE = 'server.json'

const PREFIX = 'holdfast-functions-'

/**
 * Creates the run folder after cleaning up after an earlier server on the same data. It is in the temporary folder, because socket paths are limited to about
 * 100 characters.
 *
 * @param home - beside which its location is recorded
 */
export function openRunFolder(home: string, { owner }: Pick<Program, 'owner'>): RunFolder {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  if (owner) chownSync(home, owner.uid, owner.gid)
  // Beside the functions’ home, because they can write to the home itself.
  const file = `${home}.json`
  sweep(file)
  sweepDead()
  const folder = mkdtempSync(join(temporaryFolder(), PREFIX))
  chmodSync(folder, 0o700)
  const self: Server = {
    pid: process.pid,
    startedAt: findProcess(process.pid)?.startedAt ?? '',
    namespace: namespaceOf(),
  }
  writeFileSync(join(folder, SERVER_FILE), JSON.stringify(self), { mode: 0o600 })
  if (owner) chownSync(folder, owner.uid, owner.gid)
  const processes = new Map<number, string>()
  const save = (): void => {
    const record: Record = { folder, processes: [...processes].map(([pid, startedAt]) => ({ pid, startedAt })) }
    writeFileSync(file, JSON.stringify(record), { mode: 0o600 })
  }
  save()
  const killAll = (): void => {
    for (const pid of processes.keys()) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // it has already ended
      }
    }
  }
  process.once('exit', killAll)
  return {
    create(name) {
      const path = join(folder, name)
      for (const part of [path, join(path, 'tmp')]) {
        mkdirSync(part, { mode: 0o700 })
        if (owner) chownSync(part, owner.uid, owner.gid)
      }
      return path
    },
    note(pid) {
      processes.set(pid, findProcess(pid)?.startedAt ?? '')
      save()
    },
    forget(pid) {
      processes.delete(pid)
      save()
    },
    [Symbol.dispose]() {
      process.off('exit', killAll)
      rmSync(folder, { recursive: true, force: true })
      rmSync(file, { force: true })
    },
  }
}

function sweep(file: string): void {
  if (!existsSync(file)) return
  const { folder, processes } = JSON.parse(readFileSync(file, 'utf8')) as Record
  for (const { pid, startedAt } of processes) {
    if (startedAt !== '' && findProcess(pid)?.startedAt === startedAt) process.kill(pid, 'SIGKILL')
  }
  if (dirname(resolve(folder)) === resolve(temporaryFolder()) && basename(folder).startsWith(PREFIX))
    rmSync(folder, { recursive: true, force: true })
}

/**
 * Removes the folders of crashed servers whose data folder is not in use again. A folder belongs to the functions' user, which differs per data folder, its
 * record to the server's user. Folders without our record are left alone.
 */
function sweepDead(): void {
  for (const name of readdirSync(temporaryFolder()).filter((one) => one.startsWith(PREFIX))) {
    const folder = join(temporaryFolder(), name)
    const note = join(folder, SERVER_FILE)
    try {
      const found = lstatSync(note)
      if (!lstatSync(folder).isDirectory() || !found.isFile() || found.uid !== process.getuid?.()) continue
      const { pid, startedAt, namespace } = JSON.parse(readFileSync(note, 'utf8')) as Server
      if (namespace !== namespaceOf()) continue
      if (findProcess(pid)?.startedAt !== startedAt) rmSync(folder, { recursive: true, force: true })
    } catch {
      // its server is creating or removing it, or it has no record
    }
  }
}
