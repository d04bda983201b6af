import type { Judgement, PlannedWrite, WriteRules } from '@holdfast/protocol'
import { pause } from '../pause.ts'
import { createValue } from '../value.ts'
import type { LocalWriteRules } from './local-write-rules.ts'

/** Limit in ms for the first rules of a device, which judgements wait for; after that the server alone decides. */
const FIRST_RULES_MS = 8_000

/** Loads and fetches the rules on first use, so that apps not using them pay nothing. */
export class LateWriteRules implements Disposable {
  readonly value = createValue<WriteRules | undefined>(undefined)
  readonly #open: () => Promise<LocalWriteRules>
  readonly #inBackground: (work: Promise<void>) => void
  #rules: Promise<LocalWriteRules> | undefined
  readonly #end = new AbortController()

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
    this.#end.abort()
    if (this.#rules) this.#inBackground(this.#rules.then((rules) => rules[Symbol.dispose]()))
  }

  async #load(): Promise<LocalWriteRules> {
    try {
      const rules = await this.#open()
      this.value.set(rules.value.get())
      rules.value.subscribe(() => this.value.set(rules.value.get()))
      if (this.#end.signal.aborted) return rules
      const refreshed = rules.refresh()
      this.#inBackground(refreshed)
      // Without cached rules, everything would be offered until they arrive, and then withdrawn.
      if (!rules.value.get()) await Promise.race([refreshed, pause(FIRST_RULES_MS, this.#end.signal)])
      return rules
    } catch (error) {
      this.#rules = undefined // the module failed to load; the next call retries
      throw error
    }
  }
}
