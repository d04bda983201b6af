import { expect, test } from 'vitest'
import { shownNotification } from './push-message.ts'

const PATH = '/w/holdfast/t/actions/r/1?tab=comments'

test('a mention is titled by its record, and says who wrote what', () => {
  const message = { kind: 'mention', who: 'Dana Okafor', title: 'Repack the gland', text: 'Please look', path: PATH }
  expect(shownNotification(JSON.stringify(message), 'en-GB')).toEqual({
    title: 'Repack the gland',
    body: 'Dana Okafor mentioned you\nPlease look',
    tag: PATH,
    path: PATH,
  })
})

test('what a person may not see of it is left out: the record’s name, and who it was', () => {
  expect(shownNotification(JSON.stringify({ kind: 'assigned', path: PATH }), 'en')).toEqual({
    title: 'Somebody assigned this to you',
    body: '',
    tag: PATH,
    path: PATH,
  })
})

test('many at once are one notification that leads to the inbox', () => {
  expect(
    shownNotification(JSON.stringify({ kind: 'several', count: 12, path: '/w/holdfast/inbox' }), 'en'),
  ).toMatchObject({
    title: '12 new things in your inbox',
    path: '/w/holdfast/inbox',
  })
})

test.each([undefined, '', '{', '{"kind":"newer","path":"/w/x"}', '{"kind":"mention","path":"https://other.example/"}'])(
  'a message that is not understood leads into the app, and nowhere else: %s',
  (message) => {
    expect(shownNotification(message, 'en')).toMatchObject({ title: 'Something new in your inbox', path: '/' })
  },
)

test('it speaks the language of the browser, if the app does', () => {
  const message = JSON.stringify({ kind: 'reply', who: 'Dana Okafor', path: PATH })
  expect(shownNotification(message, 'de-AT').title).toBe('Dana Okafor hat Ihnen geantwortet')
  expect(shownNotification(message, 'fr').title).toBe('Dana Okafor answered you')
})
