import { formatCount } from '../../lib/format.ts'
import { icu, type Translation } from '../../lib/texts.ts'
import type { calendarMessages as english } from '../calendar.ts'

export const calendarMessages: Translation<typeof english> = {
  calendarOf: (table) => `${table}, Kalender`,
  spans: { month: 'Monat', week: 'Woche', list: 'Liste' },
  span: 'Was gezeigt wird',
  today: 'Heute',
  previous: { month: 'Voriger Monat', week: 'Vorige Woche', list: 'Voriger Monat' },
  next: { month: 'Nächster Monat', week: 'Nächste Woche', list: 'Nächster Monat' },
  by: 'Nach',
  byField: (label) => `Nach ${label}`,
  until: 'Bis',
  untilField: (label) => `Bis ${label}`,
  oneDay: 'Je ein Tag',
  day: (day, count) => (count === 0 ? `${day}, nichts` : `${day}, ${formatCount(count)}`),
  more: (count) => `+${formatCount(count)} weitere`,
  moreOf: (count, day) =>
    icu('{count, plural, one {# weiterer Eintrag} other {# weitere Einträge}} am {day}', { count, day }),
  allOf: (count, day) => icu('{count, plural, one {# Eintrag} other {# Einträge}} am {day}', { count, day }),
  showMore: (count) => `${formatCount(count)} weitere zeigen`,
  nothing: (period) => `Nichts im Zeitraum ${period}`,
  nothingDetail: 'Einträge ohne Datum stehen in keinem Kalender.',
  move: (title) => `${title} auf einen anderen Tag verschieben`,
  moveTitle: 'Auf einen anderen Tag verschieben',
  newDay: 'Tag',
  moveNow: 'Verschieben',
  cancel: 'Abbrechen',
  moved: (title, day) => `${title} ist jetzt am ${day}`,
  notAllowed: (title) => `${title} kann nicht dorthin verschoben werden`,
  refused: 'Dieser Tag ist für Sie nicht erlaubt.',
  noDates: 'Diese Tabelle hat kein Datum',
  noDatesDetail: 'Ein Kalender braucht ein Feld mit einem Tag oder einem Zeitpunkt.',
  keys: 'Die Pfeiltasten gehen von Eintrag zu Eintrag, Enter öffnet einen, M verschiebt ihn auf einen Tag, Alt mit einer Pfeiltaste um einen Tag oder eine Woche, Bild auf und Bild ab blättern.',
}
