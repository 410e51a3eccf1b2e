// Collects the tags of a site: `node tag_cloud.js PAGES`. Planted: `uniqueTags` searches an array for every tag.
function tagsOf(page) {
  return Array.from({ length: 12 }, (_, n) => 'tag-' + ((page * 37 + n * 101) % 6000));
}

function uniqueTags(pages) {
  const tags = [];
  for (const page of pages) {
    for (const tag of tagsOf(page)) if (!tags.includes(tag)) tags.push(tag);
  }
  return tags;
}

function slug(tag) {
  return tag.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

function writeCloud(tags) {
  return tags.map((tag) => `<a href="/t/${slug(tag)}">${tag}</a>`).join('\n');
}

const pages = Array.from({ length: Number(process.argv[2]) }, (_, n) => n);
console.log(writeCloud(uniqueTags(pages)).length);
