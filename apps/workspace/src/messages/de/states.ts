import type { Translation } from '../../lib/texts.ts'
import type { stateMessages as english } from '../states.ts'

export const stateMessages: Translation<typeof english> = {
  waiting: 'noch nicht gesendet',
  sending: 'wird gesendet',
  confirming: 'angenommen, wird bestätigt',
  rejected: 'nicht angenommen',
  held: 'wartet auf die Änderung davor',
  gone: 'für Sie nicht mehr sichtbar',
}
