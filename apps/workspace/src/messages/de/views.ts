import { capitalize } from '../../lib/format.ts'
import type { Translation } from '../../lib/texts.ts'
import type { viewMessages as english } from '../views.ts'

export const viewMessages: Translation<typeof english> = {
  viewsOf: (table) => `Ansichten von ${table}`,
  current: (name) => `Ansicht: ${name}`,
  all: (many) => `Alle ${capitalize(many)}`,
  changed: 'Geändert',
}
