import type { Judgement, PlannedWrite, WriteRules } from '@holdfast/protocol'
import { createValue } from '../value.ts'
import type { LocalWriteRules } from './local-write-rules.ts'

/** Loads and fetches the rules on first use, so that apps not using them pay nothing. */
export class LateWriteRules implements Disposable {
  readonly value = createValue<WriteRules | undefined>(undefined)
  readonly #open: () => Promise<LocalWriteRules>
  readonly #inBackground: (work: Promise<void>) => void
  #rules: Promise<LocalWriteRules> | undefined
  #isDisposed = false

  constructor(open: () => Promise<LocalWriteRules>, inBackground: (work: Promise<void>) => void) {
    this.#open = open
    this.#inBackground = inBackground
  }

  readonly refresh = async (): Promise<void> => {
    if (this.#rules) await (await this.#rules).refresh()
  }

  readonly judge = async (writes: readonly PlannedWrite[]): Promise<readonly Judgement[]> => {
    this.#rules ??= this.#load()
    return (await this.#rules).judge(writes)
  };

  [Symbol.dispose](): void {
    this.#isDisposed = true
    if (this.#rules) this.#inBackground(this.#rules.then((rules) => rules[Symbol.dispose]()))
  }

  async #load(): Promise<LocalWriteRules> {
    try {
      const rules = await this.#open()
      this.value.set(rules.value.get())
      rules.value.subscribe(() => this.value.set(rules.value.get()))
      if (!this.#isDisposed) this.#inBackground(rules.refresh())
      return rules
    } catch (error) {
      this.#rules = undefined // the module failed to load; the next call retries
      throw error
    }
  }
}
