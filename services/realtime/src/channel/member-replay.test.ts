import { expect, test } from 'vitest'
import { FanOut } from '../wire/encode.ts'
import { MemberReplay } from './member-replay.ts'

const message = (payload: string): FanOut => FanOut.ofText('realtime:room', 'broadcast', payload)

test('messages that arrive while older ones are read wait, in order, and are not repeated', () => {
  const replay = new MemberReplay()
  const [a, b, c] = [message('1'), message('2'), message('3')]
  expect([replay.keeps(a, undefined), replay.keeps(b, 'read'), replay.keeps(c, 'live')]).toEqual([true, true, true])
  expect(replay.end(['read'])).toEqual([a, c])
  // The stream may deliver it after it was read from the table.
  expect(replay.keeps(message('2'), 'read')).toBe(true)
  expect(replay.keeps(message('4'), 'later')).toBe(false)
  expect(replay.keeps(message('5'), undefined)).toBe(false)
})
