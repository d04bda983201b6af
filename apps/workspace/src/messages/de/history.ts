import type { Translation } from '../../lib/texts.ts'
import type { historyMessages as english } from '../history.ts'

export const historyMessages: Translation<typeof english> = {
  title: 'Verlauf',
  created: 'hat diesen Eintrag angelegt',
  changed: 'hat diesen Eintrag geändert',
  changeBy: (who, when) => `Änderung von ${who}, ${when}`,
  from: 'vorher',
  to: 'nachher',
  nothing: 'Leer',
  omitted: 'Der Text ist für den Verlauf zu lang.',
  restore: 'Wiederherstellen',
  restoreLabel: (field, value) => (value === '' ? `${field} wieder leeren` : `${field} wieder auf ${value} setzen`),
  isNow: 'Das ist der Wert jetzt',
  empty: 'Noch keine Änderungen',
  emptyDetail: 'Jede Änderung steht von jetzt an hier, wer sie auch macht und von wo.',
  notHere: 'Der Verlauf dieses Eintrags ist nicht auf diesem Gerät',
  notHereDetail: 'Er kommt, sobald eine Verbindung da ist, und bleibt dann eine Woche hier.',
  coming: 'Der Verlauf wird geholt …',
  waiting: 'Was Sie hier geändert und noch nicht gesendet haben, steht noch nicht im Verlauf.',
  onlyNewest: (count) => `Die neuesten ${count} Änderungen werden gezeigt.`,
  you: 'Sie',
  system: 'Das System',
}
