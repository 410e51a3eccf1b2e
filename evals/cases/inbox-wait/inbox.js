// An inbox. Planted: /api/mails answers after 1.2 s; until then the main thread has nothing to do.
async function loadMails() {
  const answer = await fetch('/api/mails');
  return answer.json();
}

function showMails(mails) {
  const list = document.getElementById('mails');
  for (const mail of mails) {
    const item = document.createElement('li');
    item.textContent = mail.subject;
    list.append(item);
  }
}

loadMails().then((mails) => {
  showMails(mails);
  document.title = 'done';
});
