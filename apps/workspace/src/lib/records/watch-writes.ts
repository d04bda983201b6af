import type { Command } from './record-change.ts'

/** Follows the local write of a command. */
export interface WriteWatch {
  /** Called before each change with the number of earlier ones. Throws to roll the command back. */
  step(done: number): void
  /** Called once the command is written or rolled back. */
  end(): void
}

type Watcher = (command: Command) => WriteWatch | undefined

let watcher: Watcher = () => undefined

/** Sets what follows the writes of this tab. Long writes are followed by a part that is loaded late. */
export function watchWrites(next: Watcher): void {
  watcher = next
}

export function watchOf(command: Command): WriteWatch | undefined {
  return watcher(command)
}
