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

/** Where the sockets and the files of all processes are. No other user may enter it: whoever can connect to a socket passes every check of tokens. */
export interface RunFolder extends Disposable {
  /** Makes the folder of one process. */
  create(name: string): string
  /** Notes a process: it ends when this one exits, and the next start finds it if this one ends without a word. */
  note(pid: number): void
  forget(pid: number): void
}

interface Record {
  readonly folder: string
  readonly processes: readonly { readonly pid: number; readonly startedAt: string }[]
}

/** Deno lets no function write below `/dev`, where `TMPDIR` may point to memory (`/dev/shm`). */
function temporaryFolder(): string {
  return resolve(tmpdir()).startsWith('/dev/') ? '/tmp' : tmpdir()
}

/** The server that a folder is of. */
interface Server {
  readonly pid: number
  readonly startedAt: string
  /** In which its number means anything: containers may share a temporary folder. */
  readonly namespace: string
}

function namespaceOf(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return '' // only Linux has them
  }
}

const SERVER_FILE = 'server.json'

const PREFIX = 'holdfast-functions-'

/**
 * Makes the folder, after ending what an earlier server on the same data left. It is a temporary one, since the path of a socket has no more than some 100 characters.
 *
 * @param home - keeps the note of where it is
 */
export function openRunFolder(home: string, { owner }: Pick<Program, 'owner'>): RunFolder {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  if (owner) chownSync(home, owner.uid, owner.gid)
  // Beside the home of functions, which they may not write to.
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
        // it has ended, and this process has not heard of it
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
 * Removes the folders of servers that ended without a word and whose data is not started again. The folder is of the user of functions, who is another one for
 * each data folder; its note is of the user of the server, and what has none of ours is left alone.
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
      // it is made, or removed, by its server at this moment, or has no note
    }
  }
}
