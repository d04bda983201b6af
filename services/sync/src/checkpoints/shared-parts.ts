/** Copies a string, so that it does not keep the longer string it was cut from in memory. */
export function copyOf(text: string): string {
  return Buffer.from(text).toString()
}

interface Part {
  readonly text: string
  readonly number: number
  /** Number of references. */
  sets: number
}

interface SharedSet {
  readonly id: string
  readonly parts: ReadonlySet<string>
  users: number
}

/** Interns sets of texts: equal sets share one. Unreferenced sets are dropped, which bounds memory. */
export class SharedParts {
  readonly #parts = new Map<string, Part>()
  readonly #sets = new Map<string, SharedSet>()
  readonly #bySet = new WeakMap<ReadonlySet<string>, SharedSet>()
  #numbers = 0

  /** Number of distinct texts. */
  get size(): number {
    return this.#parts.size
  }

  /** Returns a shared set with these contents. Call {@link SharedParts.release} afterwards. */
  share(texts: ReadonlySet<string>): ReadonlySet<string> {
    const parts = Array.from(texts, (text) => this.#partOf(text))
    const id = parts
      .map(({ number }) => number)
      .toSorted((one, other) => one - other)
      .join()
    let known = this.#sets.get(id)
    if (!known) {
      known = { id, parts: new Set(parts.map(({ text }) => text)), users: 0 }
      this.#sets.set(id, known)
      this.#bySet.set(known.parts, known)
      for (const part of parts) part.sets++
    }
    known.users++
    return known.parts
  }

  release(shared: ReadonlySet<string>): void {
    const known = this.#bySet.get(shared)
    if (!known || --known.users > 0) return
    this.#sets.delete(known.id)
    for (const text of shared) {
      const part = this.#parts.get(text)
      if (part && --part.sets === 0) this.#parts.delete(text)
    }
  }

  #partOf(text: string): Part {
    let part = this.#parts.get(text)
    if (!part) {
      part = { text: copyOf(text), number: this.#numbers++, sets: 0 }
      this.#parts.set(part.text, part)
    }
    return part
  }
}
