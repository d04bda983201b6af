/** The parts of Eleventy's API used here; it ships no types. */
declare module '@11ty/eleventy' {
  import type { MarkdownIt } from './markdown-it.ts'

  export interface EleventyConfig {
    addPlugin(plugin: unknown): void
    addFilter(name: string, filter: (value: string) => unknown): void
    addGlobalData(name: string, value: unknown): void
    addPassthroughCopy(paths: Readonly<Record<string, string>>): void
    amendLibrary(name: 'md', change: (markdown: MarkdownIt) => void): void
    setUseGitIgnore(used: boolean): void
    readonly ignores: Set<string>
  }

  export class Eleventy {
    constructor(input: string, output: string, options: { readonly quietMode?: boolean; readonly configPath: string })
    write(): Promise<void>
  }
}

declare module '@11ty/eleventy-plugin-syntaxhighlight' {
  const plugin: unknown
  export default plugin
}
