/** The script of the page /docs, explorer.html beside it. */
/* global document, location, matchMedia, MutationObserver, SwaggerUIBundle, window */
// Swagger UI has a dark style, which only its own switch would choose.
const dark = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followScheme);
followScheme();

// What assistive technology needs and Swagger UI leaves out: names, levels of headings, scrolling by keyboard, and no link inside a button.
function mend() {
  const fields = ':is(select, td input, textarea, .json-schema-form-item-remove):not([aria-label])';
  for (const field of document.querySelectorAll(fields)) {
    const name = field.closest('tr')?.querySelector('.parameter__name')?.firstChild?.textContent;
    const row = name ?? (field.tagName === 'TEXTAREA' ? 'Request body' : 'Media type');
    field.setAttribute('aria-label', field.tagName === 'BUTTON' ? `Remove ${row}` : row);
  }
  for (const [part, name] of [
    ['.information-container', 'About'],
    ['.scheme-container', 'Credentials'],
    ['.modal-ux', 'Available authorizations'],
  ]) {
    const element = document.querySelector(part);
    element?.setAttribute('role', part === '.modal-ux' ? 'dialog' : 'region');
    element?.setAttribute('aria-label', name);
  }
  for (const region of document.querySelectorAll('.responses-table:not([aria-label])')) {
    const summary = region.closest('.opblock').querySelector('.opblock-summary').innerText;
    region.setAttribute('aria-label', `Responses: ${summary}`);
  }
  for (const code of document.querySelectorAll('pre:not([tabindex])')) code.tabIndex = 0;
  document.querySelector('.modal-ux [name=username]')?.setAttribute('autocomplete', 'username');
  document.querySelector('.close-modal')?.setAttribute('aria-label', 'Close');
  for (const button of document.querySelectorAll('.modal-btn[aria-label]')) button.removeAttribute('aria-label');
  for (const link of document.querySelectorAll('button a[href]')) link.removeAttribute('href');
  for (const [heading, level] of [
    ['.opblock-tag, .modal-ux h3', '2'],
    ['h4', '3'],
    ['h5', '4'],
  ]) {
    for (const each of document.querySelectorAll(`:is(${heading}):not([aria-level])`))
      each.setAttribute('aria-level', level);
  }
}
new MutationObserver(mend).observe(document.querySelector('#page'), {
  subtree: true,
  childList: true,
  attributeFilter: ['href'],
});
document.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') document.querySelector('.close-modal')?.click();
});

const answer = await fetch('openapi.json');
const servers = [{ url: new URL('.', location.href).href.replace(/\/$/, '') }];
window.ui = SwaggerUIBundle({
  spec: { ...(await answer.json()), servers },
  dom_id: '#page',
  deepLinking: true,
  // Otherwise the page would send the document to a validator on the Internet.
  validatorUrl: null,
});
