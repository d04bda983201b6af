import type { PushMessages } from '../push.ts'

export const pushMessages: PushMessages = {
  mention: (who) => `${who} hat Sie erwähnt`,
  reply: (who) => `${who} hat Ihnen geantwortet`,
  assigned: (who) => `${who} hat Ihnen das zugewiesen`,
  several: (count) => `${String(count)} Neuigkeiten im Posteingang`,
  somethingNew: 'Etwas Neues im Posteingang',
  someone: 'Jemand',
}
