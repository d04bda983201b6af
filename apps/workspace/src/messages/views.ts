import { inLanguages } from '../lib/texts.ts'

export const viewMessages = inLanguages('viewMessages', {
  viewsOf: (table: string) => `Views of ${table}`,
  current: (name: string) => `View: ${name}`,
  all: (many: string) => `All ${many}`,
  changed: 'Changed',
})
