import { expect, test } from 'vitest'
import { createValue } from './value.ts'

test('a listener that throws is reported, and neither who sets the value nor the next listener suffers', async () => {
  const others = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  const reported = new Promise((resolve) => process.once('uncaughtException', resolve))
  try {
    const value = createValue(1)
    const told: number[] = []
    value.subscribe(() => {
      throw new Error('of the app')
    })
    value.subscribe(() => told.push(value.get()))
    value.set(2)
    expect(told).toEqual([2])
    expect(await reported).toEqual(new Error('of the app'))
  } finally {
    for (const other of others) process.on('uncaughtException', other)
  }
})
