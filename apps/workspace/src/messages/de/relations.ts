import type { Translation } from '../../lib/texts.ts'
import type { relationMessages as english } from '../relations.ts'

export const relationMessages: Translation<typeof english> = {
  add: 'Hinzufügen',
  addTo: (noun) => `${noun} hinzufügen`,
  link: 'Verknüpfen',
  linkTo: (noun) => `${noun} verknüpfen`,
  linkOf: (name) => `Verknüpfung von ${name}`,
  linked: (name) => `${name} verknüpft`,
  linkedTo: (name) => `Bisher verknüpft mit ${name}`,
}
