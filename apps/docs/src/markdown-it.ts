/** The parts of markdown-it's API used here; it ships no types. */
export interface Token {
  readonly type: string
  tag: string
  attrs: [string, string][] | null
  readonly content: string
  readonly children: readonly Token[] | null
  attrGet(name: string): string | null
  attrSet(name: string, value: string): void
}

export interface MarkdownIt {
  readonly core: {
    readonly ruler: {
      push(name: string, rule: (state: { readonly tokens: readonly Token[]; readonly env: unknown }) => void): void
    }
  }
  readonly renderer: { readonly rules: Record<string, () => string> }
}
