/**
 * Search over the index that the build made. It is loaded with the first press into the field; without it, or without scripts, the pages are whole.
 */
const search = document.querySelector('.search')
const input = search.querySelector('input')
const panel = search.querySelector('.found')
const list = search.querySelector('[role=listbox]')
const status = search.querySelector('[role=status]')
const top = new URL(search.dataset.top, location.href)

/** Pages at most that a search lists. */
const RESULTS_MAX = 12
/** Milliseconds without a key before a search begins. */
const DEBOUNCE_MS = 120

let loading
let selected = -1

// From a file there are no modules, and so no search; the field would do nothing.
search.hidden = location.protocol === 'file:'

function load() {
  loading ??= import(new URL('pagefind/pagefind.js', top)).catch((error) => {
    loading = undefined // The next key tries again.
    throw error
  })
  return loading
}

async function find() {
  const words = input.value.trim()
  if (words === '') return close()
  if (panel.hidden) {
    list.replaceChildren()
    status.textContent = 'Searching…'
    open()
  }
  try {
    const { debouncedSearch } = await load()
    const found = await debouncedSearch(words, {}, DEBOUNCE_MS)
    if (found === null) return // A later key has begun another search.
    const pages = await Promise.all(found.results.slice(0, RESULTS_MAX).map((result) => result.data()))
    if (input.value.trim() === words) show(pages, words)
  } catch {
    status.textContent = 'The search cannot be loaded. Check the connection, then type again.'
  }
}

function show(pages, words) {
  selected = -1
  list.replaceChildren(...pages.map(renderPage))
  status.textContent = pages.length === 0 ? `No page has “${words}”.` : ''
  open()
}

function renderPage(page, index) {
  // The part of the page that fits best, if it has a heading of its own.
  const part = page.sub_results.toSorted((a, b) => b.weighted_locations.length - a.weighted_locations.length)[0]
  const item = document.createElement('li')
  item.id = `found-${index}`
  item.role = 'option'
  item.dataset.address = part?.url ?? page.url
  const title = document.createElement('strong')
  title.textContent = part && part.title !== page.meta.title ? `${page.meta.title} › ${part.title}` : page.meta.title
  const excerpt = document.createElement('span')
  excerpt.append(...renderExcerpt(part?.excerpt ?? page.excerpt))
  item.append(title, excerpt)
  return item
}

/** The index has text with `<mark>` around words, and entities for what HTML needs. */
function renderExcerpt(html) {
  return html.split(/<mark>|<\/mark>/).map((text, index) => {
    const plain = text
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&amp;', '&')
    if (index % 2 === 0) return plain
    const mark = document.createElement('mark')
    mark.textContent = plain
    return mark
  })
}

function open() {
  panel.hidden = false
  input.setAttribute('aria-expanded', 'true')
}

function close() {
  panel.hidden = true
  selected = -1
  input.setAttribute('aria-expanded', 'false')
  input.removeAttribute('aria-activedescendant')
}

function select(index) {
  const items = [...list.children]
  if (items.length === 0) return
  selected = (index + items.length) % items.length
  for (const [at, item] of items.entries()) item.setAttribute('aria-selected', String(at === selected))
  items[selected].scrollIntoView({ block: 'nearest' })
  input.setAttribute('aria-activedescendant', items[selected].id)
}

function visit(item) {
  if (item) location.assign(item.dataset.address)
}

input.addEventListener('input', find)
input.addEventListener('focus', () => void load().catch(() => undefined)) // A search says what is wrong.
input.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown') select(selected + 1)
  else if (event.key === 'ArrowUp') select(selected - 1)
  else if (event.key === 'Enter') visit(list.children[Math.max(selected, 0)])
  else if (event.key === 'Escape') close()
  else return
  event.preventDefault()
})
list.addEventListener('click', (event) => visit(event.target.closest('[role=option]')))
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.closest('input, textarea')) return
  event.preventDefault()
  input.focus()
})
document.addEventListener('focusin', (event) => {
  if (!search.contains(event.target)) close()
})
document.addEventListener('pointerdown', (event) => {
  if (!search.contains(event.target)) close()
})
