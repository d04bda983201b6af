import { formatClock, formatMoment } from '../../lib/format.ts'
import { icu, type Translation } from '../../lib/texts.ts'
import type { chipMessages as english } from '../chip.ts'

export const chipMessages: Translation<typeof english> = {
  upToDate: 'Auf dem neuesten Stand',
  incomplete: (tables) => icu('{tables, plural, one {# Tabelle} other {# Tabellen}} unvollständig', { tables }),
  incompleteDetail: 'Auf diesem Gerät fehlen Einträge, die Sie sehen dürfen. Unter Abgleich steht, welche und warum.',
  sending: (waiting) => icu('{waiting, plural, one {# wird} other {# werden}} gesendet', { waiting }),
  sendingDetail: (waiting) =>
    icu('{waiting, plural, one {# Änderung ist} other {# Änderungen sind}} auf dem Weg zum Server.', { waiting }),
  receiving: (percent) => (percent === undefined ? 'Empfängt' : `Empfängt ${percent} %`),
  receivingDetail: 'Einträge kommen auf dieses Gerät.',
  waiting: (waiting) => icu('{waiting, plural, one {# wartet} other {# warten}}', { waiting }),
  offline: (waiting) =>
    waiting > 0 ? icu('Offline · {waiting, plural, one {# wartet} other {# warten}}', { waiting }) : 'Offline',
  goOn: 'Sie können weiterarbeiten.',
  connecting: 'Verbindet',
  connectingDetail: 'Die Verbindung wird aufgebaut.',
  asked: 'Der Server wird nach Ihren Einträgen gefragt.',
  checking: 'Prüft …',
  checkingDetail: 'Seit einer Weile kam nichts vom Server. Er wird gefragt.',
  noAnswer: (since) => `Keine Antwort seit ${formatMoment(since)}`,
  noAnswerDetail: 'Der Server antwortet nicht. Sie können weiterarbeiten.',
  attention: (changes) => icu('{changes, number} zu klären', { changes }),
  attentionDetail: (changes) =>
    icu(
      'Der Server hat {changes, plural, one {eine Änderung nicht angenommen. Sie bleibt} other {Änderungen nicht angenommen. Sie bleiben}} hier, bis Sie entscheiden.',
      { changes },
    ),
  reconnecting: 'Verbindet neu',
  reconnectingDetail: 'Die Verbindung wird wieder aufgebaut.',
  signIn: 'Bitte anmelden',
  secondFactor: 'Bitte bestätigen',
  secondFactorDetail:
    'Sie können weiterarbeiten. Bevor etwas gesendet oder empfangen wird, wird nach Ihrem zweiten Schritt gefragt.',
  blocked: 'Abgleich gestoppt',
  blockedDetail: (code) => `Der Server verweigert den Abgleich (${code}). Sagen Sie es Ihrer Systembetreuung.`,
  paused: (waiting) =>
    waiting === 0
      ? 'Abgleich angehalten'
      : icu('Abgleich angehalten · {waiting, plural, one {# wartet} other {# warten}}', { waiting }),
  pausedDetail: 'Sie haben den Abgleich auf diesem Gerät angehalten.',
  notSent: (waiting) =>
    icu(
      '{waiting, plural, one {# Änderung auf diesem Gerät ist} other {# Änderungen auf diesem Gerät sind}} noch nicht gesendet.',
      { waiting },
    ),
  lastChecked: (at) => (at === undefined ? 'Noch nicht geprüft.' : `Zuletzt geprüft ${formatClock(at)}.`),
}
