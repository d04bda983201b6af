import { describe, expect, test } from 'vitest'
import type { AttentionVerdict } from '../queue/attention-verdict.ts'
import { explainVerdict } from './explain-verdict.ts'

const error = (fields: object): AttentionVerdict =>
  ({ op_id: 1, status: 'error', message: 'said Postgres', table: 'tasks', ...fields }) as AttentionVerdict

describe('explainVerdict', () => {
  test.each<[AttentionVerdict, string, string]>([
    [{ op_id: 1, status: 'no_row', message: 'm' }, 'HF-SYNC-NOROW', 'This record is gone or no longer yours to change'],
    [
      { op_id: 1, status: 'conflict', message: 'm', current: {} },
      'HF-SYNC-CONFLICT',
      'Another person changed this record in the meantime',
    ],
    [
      error({ sqlstate: '42501', policies: ['own'], rule: 'Only the owner edits.' }),
      'HF-SYNC-REJ-RLS',
      'Only the owner edits (rule own)',
    ],
    [
      error({ sqlstate: '42501', policies: ['own', 'team'] }),
      'HF-SYNC-REJ-RLS',
      'You are not allowed to make this change (rules own, team)',
    ],
    [error({ sqlstate: '42501' }), 'HF-SYNC-REJ-RLS', 'You are not allowed to make this change'],
    [
      error({ sqlstate: '23505', detail: 'Key (code)=(A1) already exists.' }),
      'HF-SYNC-UNIQUE',
      'Another record already has code = A1',
    ],
    [error({ sqlstate: '23503' }), 'HF-SYNC-FK', 'A linked record does not exist any more'],
    [
      error({ sqlstate: '23503', message: 'insert or update on table "tasks" violates foreign key constraint' }),
      'HF-SYNC-FK',
      'A linked record does not exist any more',
    ],
    [
      error({
        sqlstate: '23503',
        message: 'update or delete on table "tasks" violates foreign key constraint "notes_task_fkey" on table "notes"',
        detail: 'Key (id)=(1) is still referenced from table "notes".',
      }),
      'HF-SYNC-LINKED',
      'Records of notes still link to this one',
    ],
    [
      error({ sqlstate: '23001', detail: 'Key (id)=(1) is referenced from table "notes".' }),
      'HF-SYNC-LINKED',
      'Records of notes still link to this one',
    ],
    [error({ sqlstate: '23001' }), 'HF-SYNC-LINKED', 'Other records still link to this one'],
    [error({ sqlstate: '23502', column: 'title' }), 'HF-SYNC-NOTNULL', 'tasks.title needs a value'],
    [
      error({ sqlstate: '23514', constraint: 'title_length' }),
      'HF-SYNC-CHECK',
      'This breaks a rule of the table: title length',
    ],
    [error({ sqlstate: '22P02' }), 'HF-SYNC-TYPE', 'A value is not valid'],
    [error({ sqlstate: 'P0001', message: 'Not on Sundays.' }), 'HF-SYNC-RULE', 'Not on Sundays.'],
    [error({ sqlstate: '42703' }), 'HF-SYNC-SCHEMA', 'The tables have changed since this was written'],
    [error({ sqlstate: 'XX000' }), 'HF-SYNC-UNKNOWN', 'The server did not accept this change'],
    [
      { op_id: 1, status: 'unexpected', httpStatus: 404, code: 'PSYNC_S2002', message: 'm' },
      'HF-SYNC-UNKNOWN',
      'The server could not take this change',
    ],
  ])('says what happened: %j', (verdict, code, title) => {
    const explanation = explainVerdict(verdict, { column: (table, column) => `${table}.${column}` })
    expect(explanation).toMatchObject({ code, title })
    expect(explanation.advice).toMatch(/\.$/)
  })

  test('names the field and the rule in the words that are shown before', () => {
    const names = { column: (_: string, column: string) => column.toUpperCase() }
    const check = { sqlstate: '23514', rule: 'A title has 1 to 200 characters.', constraint: 'title_length' }
    expect(explainVerdict(error({ ...check, columns: ['title', 'state'] }), names)).toMatchObject({
      title: 'A title has 1 to 200 characters',
      advice: 'Change TITLE or STATE and send it again.',
    })
    const step = { sqlstate: 'P0001', message: 'State stays Sent.', hint: 'record.transition', column: 'state' }
    expect(explainVerdict(error(step), names)).toMatchObject({
      title: 'State stays Sent.',
      advice: 'Change STATE and send it again.',
    })
  })

  test('keeps what the server said for the details', () => {
    expect(explainVerdict(error({ sqlstate: '22P02', detail: 'here', hint: 'there' })).detail).toBe(
      '22P02: said Postgres\nhere\nthere',
    )
  })
})
