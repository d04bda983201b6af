import { describe, expect, test } from 'vitest'
import { openWhenFree } from './open-when-free.ts'

const taken = (): DOMException => new DOMException('another open Access Handle', 'NoModificationAllowedError')

describe('openWhenFree', () => {
  test('tries again while the file is with a tab that is gone', async () => {
    const answers = [taken(), taken(), 'handle']
    const open = async (): Promise<string> => {
      const answer = answers.shift()
      if (answer instanceof DOMException) throw answer
      return answer ?? 'asked too often'
    }
    await expect(openWhenFree(open)).resolves.toBe('handle')
  })

  test('tells any other failure at once', async () => {
    let asked = 0
    const open = async (): Promise<never> => {
      asked++
      throw new DOMException('no such file', 'NotFoundError')
    }
    await expect(openWhenFree(open)).rejects.toThrow('no such file')
    expect(asked).toBe(1)
  })

  test('gives up on a file that stays taken', async () => {
    let time = 0
    const open = async (): Promise<never> => {
      time += 4_000
      throw taken()
    }
    await expect(openWhenFree(open, () => time)).rejects.toThrow('another open Access Handle')
    expect(time).toBe(12_000)
  })
})
