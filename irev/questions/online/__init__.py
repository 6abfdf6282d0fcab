"""What users see and click: a question in each folder, and here what several of them share."""
