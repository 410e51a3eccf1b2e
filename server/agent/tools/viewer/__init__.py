"""Tools of the chart that the person looks at, and of the page around it. Offered only while a page mounts them."""
