// @vitest-environment happy-dom
import type { RejectedChange } from '@holdfast/client'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { RefusalReason } from './refusal-reason.tsx'

function shown(verdict: Partial<RejectedChange['verdict']>): string {
  const place = document.createElement('div')
  const whole = { status: 'error', sqlstate: 'P0001', message: '', ...verdict } as RejectedChange['verdict']
  place.innerHTML = renderToStaticMarkup(<RefusalReason verdict={whole} />)
  return place.textContent ?? ''
}

describe('the reason of a refusal', () => {
  test('stands once when a rule of the project says it', () => {
    expect(shown({ message: 'Not on Sundays.' }).split('Not on Sundays')).toHaveLength(2)
    expect(shown({ message: 'Not on Sundays', hint: 'Not on Sundays.' }).split('Not on Sundays')).toHaveLength(2)
  })

  test('stands beside the words of the server when they are others', () => {
    const message = 'new row for relation "tasks" violates check constraint "tasks_done_has_date"'
    const text = shown({ sqlstate: '23514', message, constraint: 'tasks_done_has_date', rule: 'Say when it was done.' })
    expect(text).toContain('Say when it was done.')
    expect(text).toContain(message)
  })
})
