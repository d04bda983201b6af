/** The SQL of the preview, kept while the operator looks at other screens. */
let draft = ''

export function readDraft(): string {
  return draft
}

export function writeDraft(sql: string): void {
  draft = sql
}
